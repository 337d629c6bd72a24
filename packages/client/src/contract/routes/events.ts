import { eventsAnswer, eventsBody, feedbackAnswer, feedbackBody } from "../events.ts";
import { theCircus, theKid } from "../examples.ts";
import { route } from "../route.ts";

export const eventRoutes = {
  addEvents: route({
    method: "POST",
    path: "/v1/events",
    scope: "events",
    tokens: true,
    user: "body.events[].user",
    idempotent: true,
    tag: "events",
    summary: "Store what users did",
    description:
      "Users' metrics are learned from these, in the background. An event whose user and id are known already changes nothing, so that a batch may be sent again where no answer came: " +
      "give every event an id. A token may send events of its own user alone. A user may have as many events as the server's setting eventsPerUser says (100,000 by default): a batch with more is " +
      "OVER_LIMIT, its `field` names the first event of that user, and nothing of it is stored.",
    body: eventsBody,
    response: eventsAnswer,
    errors: ["OVER_LIMIT", "STORE_UNAVAILABLE"],
    examples: [
      {
        summary: "A rating and a view",
        body: {
          events: [
            { id: "e1", user: "u0001", item: theKid.id, rating: 5, time: "2026-03-01T20:15:00Z" },
            { id: "e2", user: "u0001", item: theCircus.id, type: "view", time: 1772396400000 },
          ],
        },
        response: { accepted: 2, duplicates: 0, unknownItems: [] },
      },
    ],
  }),

  addFeedback: route({
    method: "POST",
    path: "/v1/feedback",
    scope: "events",
    tokens: true,
    user: "body.feedback[].user",
    idempotent: true,
    tag: "events",
    summary: "Say what became of a list",
    description:
      "Which items of a list were shown, clicked, liked, dismissed or bought. It tells how good lists are, and changes no metric: what a user did goes to POST /v1/events too. " +
      "A user may have as many entries as events (eventsPerUser): a batch with more is OVER_LIMIT, and nothing of it is stored.",
    body: feedbackBody,
    response: feedbackAnswer,
    errors: ["OVER_LIMIT", "STORE_UNAVAILABLE"],
    examples: [
      {
        summary: "A click on the first item",
        body: {
          feedback: [
            {
              id: "f1",
              recommendation: "01JAV3W2M5K8",
              item: theCircus.id,
              action: "clicked",
              position: 1,
              user: "u0001",
            },
          ],
        },
        response: { accepted: 1, duplicates: 0 },
      },
    ],
  }),
} as const;
