/** A call by itself, in virtual time: its transport, limiter, token source and clock are scripts. */
import { Redacted } from "effect";
import { expect } from "vitest";
import type { AccessToken, CredentialsError } from "../src/Credentials.ts";
import type { Host, Outcome, Task, Tokens } from "../src/pipeline/Call.ts";
import { fail, succeed } from "../src/pipeline/Call.ts";
import { parseBody } from "../src/pipeline/decode.ts";
import type { NotSent, PipelineOptions } from "../src/pipeline/PipelineOptions.ts";
import { makePipeline } from "../src/pipeline/runCall.ts";
import { retrySettings } from "../src/Retry.ts";
import { SendError, type IncomingResponse, type OutgoingRequest } from "../src/Transport.ts";
import { type Answer, response } from "./recording.ts";

export type Step =
  | Answer
  | SendError
  | "silence"
  | { readonly refused: NotSent }
  | { readonly whole: object };

export const REQUEST = {
  operation: "x.get",
  route: "GET /x",
  method: "GET",
  url: "https://api.example/x",
  scopes: ["a", "b"],
  rateLimitRoute: "GET /x",
};

export const tokenOf = (text: string, scopes?: ReadonlyArray<string>): AccessToken => ({
  token: Redacted.make(text),
  scopes,
});

export type Given = AccessToken | CredentialsError | Outcome<never, never>;

/** A source that gives one after another, at once; nothing more after the last. */
export const giving = (...given: ReadonlyArray<Given>) => {
  const refused: Array<string | undefined> = [];
  const tokens: Tokens = {
    renews: true,
    take: (_, old, done) => {
      const next = given[refused.length];
      refused.push(old && Redacted.value(old));
      if (next === undefined) return () => refused.push("given up");
      done("token" in next ? succeed(next) : "_tag" in next ? next : fail(next));
      return undefined;
    },
  };
  return { tokens, refused };
};

export const open = (
  steps: ReadonlyArray<Step>,
  options: Partial<PipelineOptions> = {},
  surroundings: Partial<Host> = {},
) => {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly fire: () => void }>();
  const seen = {
    requests: [] as Array<OutgoingRequest>,
    sent: [] as Array<string>,
    settled: [] as Array<object>,
    measured: [] as Array<unknown>,
    warned: [] as Array<string>,
    asked: {},
    aborted: 0,
    takenBack: 0,
    late: [] as Array<(result: IncomingResponse) => void>,
    timers,
  };
  const startTimer = (millis: number, fire: () => void) => {
    const timer = { at: now + millis, fire };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const host: Host = {
    now: () => now,
    random: () => 0.5,
    startTimer,
    sleep: startTimer,
    warn: (message) => seen.warned.push(message),
    measure: (metric, value, attributes) =>
      seen.measured.push([metric, value, ...Object.values(attributes)].join(" ")),
    ...surroundings,
  };
  let asked = 0;
  const step = (): Step => steps[Math.min(asked, steps.length) - 1] ?? {};
  const pipeline = makePipeline({
    transport: (request, settle) => {
      const { headers, method } = request;
      seen.requests.push(request);
      seen.sent.push(`${now} ${method} ${headers["authorization"] ?? "-"}`);
      const given = step();
      if (given === "silence") seen.late.push(settle);
      else if (given instanceof SendError) settle(given);
      else {
        const { body = "{}", headers: told, status = 200 } = given as Answer;
        const whole = "whole" in given ? given.whole : {};
        settle({ ...response(status, body, told), abort: () => seen.aborted++, ...whole });
      }
      return () => seen.aborted++;
    },
    submit: (request, { granted, refused }) => {
      seen.asked = request;
      asked++;
      const given = step();
      if (typeof given === "object" && "refused" in given) refused(given.refused);
      else
        granted({ policy: "p", waitedMillis: 5 }, (outcome) => {
          seen.settled.push({ ...outcome });
          return undefined;
        });
      return () => seen.takenBack++;
    },
    userAgent: "agent",
    timeout: 1000,
    totalTimeout: 60_000,
    maxWait: 10_000,
    retry: retrySettings({ times: 2, base: 100 }),
    maxBodyBytes: 100,
    cache: undefined,
    dedupe: true,
    hooks: {},
    ...options,
  });
  /** Lets time pass, and what follows from it happen. */
  const pass = async (millis = 0): Promise<void> => {
    const end = now + millis;
    await new Promise(setImmediate);
    for (;;) {
      const [next] = [...timers].toSorted((one, other) => one.at - other.at);
      if (next === undefined || next.at > end) break;
      timers.delete(next);
      now = next.at;
      next.fire();
      await new Promise(setImmediate);
    }
    now = end;
  };
  const handler = {
    accepts: (status: number) => status === 200 || status === 204,
    read: parseBody,
  };
  const account = { tokens: undefined, identity: undefined };
  const run = (task: Partial<Task> = {}) => {
    const ends: Array<any> = [];
    const whole = { request: REQUEST, handler, account, options: {}, ...task };
    const interrupt = pipeline(whole, host, (outcome) => ends.push(outcome));
    return { ends, interrupt };
  };
  return { run, pass, seen };
};

/** How a call ends whose every attempt is answered so. */
export const endOf = async (
  step: Step,
  task?: Partial<Task>,
  options?: Partial<PipelineOptions>,
) => {
  const { pass, run, seen } = open([step], options);
  const { ends } = run(task);
  await pass(20_000);
  expect([ends.length, seen.timers.size, seen.warned]).toEqual([1, 0, []]);
  return { ...ends[0], seen };
};
