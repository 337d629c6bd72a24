// The shapes of requests and answers by name: types alone, inferred from the schemas.
import type { z } from "zod";
import type { RouteAnswer, RouteBody, RouteName, RouteQuery } from "./routes.ts";
import type { errorSchema } from "./system.ts";

type Entry<List> = List extends readonly (infer Item)[] ? Item : never;
type Query<Name extends RouteName> = NonNullable<RouteQuery<Name>>;
type Body<Name extends RouteName> = NonNullable<RouteBody<Name>>;

export type SimilarOptions = Query<"similarToItem">;
export type SimilarRequest = Body<"similar">;
export type SimilarItems = RouteAnswer<"similarToItem">;
export type SimilarItem = Entry<SimilarItems["items"]>;
export type Contribution = Entry<Explanation["contributions"]>;
export type UsedMetric = SimilarItems["metric"];
export type MissingChannel = Entry<SimilarItems["missing"]>;
export type ExplainOptions = Query<"explain">;
export type Explanation = RouteAnswer<"explain">;
/** An item's id, or a draft: an item that is in no catalogue. */
export type ItemOrDraft = Entry<SimilarRequest["items"]>;
export type Draft = Extract<ItemOrDraft, object>;
/** The value of a channel. */
export type Cell = Draft["draft"][string];
export type PredictOptions = Omit<Body<"predict">, "item">;
export type Prediction = RouteAnswer<"predict">;

export type ListItemsOptions = Query<"listItems">;
export type ListedItem = Entry<RouteAnswer<"listItems">["items"]>;
export type Item = RouteAnswer<"getItem">;
export type NewItem = Entry<Body<"putItems">["items"]>;
export type ItemContent = Body<"putItem">;
export type PutItem = Entry<RouteAnswer<"putItems">["items"]>;

export type Event = Entry<Body<"addEvents">["events"]>;
export type UserEventsOptions = Query<"getUserEvents">;
export type StoredEvent = Entry<RouteAnswer<"getUserEvents">["events"]>;
export type Feedback = Entry<Body<"addFeedback">["feedback"]>;

export type ListUsersOptions = Query<"listUsers">;
export type ListedUser = Entry<RouteAnswer<"listUsers">["users"]>;
export type User = RouteAnswer<"getUser">;
export type UserMetric = RouteAnswer<"getMetric">;
export type Sliders = Body<"putMetric">;
export type UserRating = Entry<NonNullable<Body<"personalize">["ratings"]>>;
export type QuestionsOptions = Query<"nextQuestion">;
export type Question = Entry<RouteAnswer<"nextQuestion">["questions"]>;
export type BecauseOptions = Query<"because">;
export type BecauseRow = Entry<RouteAnswer<"because">["rows"]>;

export type ModelInfo = RouteAnswer<"getModel">;
export type ModelFiles = RouteAnswer<"listModelFiles">;
export type ModelFile = Entry<ModelFiles["files"]>;
export type Training = RouteAnswer<"getTraining">;
export type TrainingStage = Entry<Training["stages"]>;
export type ListedEvaluation = Entry<RouteAnswer<"listEvaluations">["evaluations"]>;
export type EvaluationResults = RouteAnswer<"getEvaluation">;
export type Evaluation = NonNullable<EvaluationResults["evaluation"]>;
export type RecommenderResult = Entry<Evaluation["recommenders"]>;
export type Personalisation = NonNullable<EvaluationResults["users"]>;
export type PaperExperiment = NonNullable<EvaluationResults["paper"]>;
export type IndexInfo = RouteAnswer<"getIndex">;
export type MeasureOptions = Body<"measureIndex">;
export type Measurement = RouteAnswer<"measureIndex">;
export type TokenRequest = Body<"createToken">;
export type KeyRequest = Body<"createKey">;
export type KeyInfo = Entry<RouteAnswer<"listKeys">["keys"]>;

/** The body of every answer but a 2xx. */
export type ErrorBody = z.output<typeof errorSchema>;
