// Requests are checked by the contract's own schemas; what they make of a request takes its place.
import { describeProblems } from "@nearkin/client/contract";
import type { FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { ApiError } from "./api-error.ts";

const PARTS: Readonly<Record<string, string>> = { body: "the body", querystring: "the query", params: "the path" };

/** For `setValidatorCompiler`. A request that does not fit is a 400 that names the first place where it does not. */
export const contractValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart = "" }) => {
  return (value: unknown) => {
    const result = schema.safeParse(value ?? undefined);
    if (result.success) return { value: result.data };
    const { message, field } = describeProblems(result.error, PARTS[httpPart] ?? "the request");
    return { error: new ApiError("BAD_REQUEST", message, field === "" ? {} : { field }) };
  };
};
