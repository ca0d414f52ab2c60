/**
 * What an answer writes into which books: those of the policy that it names, and those that the
 * request was let go under.
 */
import type { LimitedRequest, RequestOutcome, Permit } from "../effect/Model.ts";
import type { RateLimitDialect } from "../RateLimitDialect.ts";
import { settle } from "./observeResponse.ts";
import { cancel } from "./Planner.ts";
import { unknownPolicy } from "./PolicyState.ts";
import type { PolicyState } from "./PolicyState.ts";

/** How answers are read. */
export interface RecordOptions {
  readonly dialect: RateLimitDialect;
  /** The bucket a server may round with, for a window of the given length; milliseconds. */
  readonly assumedBucketOf: (period: number) => number;
}

/** A change of one policy's books. */
export type PolicyChange<A> = (
  state: PolicyState,
  now: number,
) => readonly [A, PolicyState | undefined];

/** The same for a store, where books that say nothing are not kept. */
export const policyChange =
  <A>(name: string, change: PolicyChange<A>) =>
  (value: PolicyState | undefined, now: number): readonly [A, PolicyState | undefined] => {
    const state = value ?? unknownPolicy(name);
    const [result, next] = change(state, now);
    return [result, value === undefined && next === state ? undefined : next];
  };

/** A permit in use, and the books it is noted in. */
export type ActivePermit = Pick<Permit, "id"> & { readonly at: number; readonly name: string };

/** What an answer changes in the books, entry by entry. */
export const outcomeUpdates = (
  { dialect, assumedBucketOf }: RecordOptions,
  call: LimitedRequest,
  permit: ActivePermit,
  report: RequestOutcome,
  time: number,
) => {
  const { id, at: sentAt } = permit;
  const counted = call.counted ?? true;
  const dropHit: PolicyChange<void> = (state) => {
    const left = cancel(state, id);
    return [undefined, left.hits.length === 0 && left.windows.length === 0 ? undefined : left];
  };
  if (report.sent === false)
    return { policy: undefined, entries: [[permit.name, dropHit]] as const };
  const { status } = report;
  const reading = report.headers && dialect.read(report.headers, time);
  const policy = reading?.policy;
  const name = policy ?? permit.name;
  const note: PolicyChange<void> = (state, now) => [
    undefined,
    settle(state, { id, now, sentAt, status, reading, counted, assumedBucketOf }),
  ];
  // A route that turned out to belong to another policy: the request is in that one's books now.
  const entries =
    name === permit.name
      ? ([[name, note]] as const)
      : ([
          [name, note],
          [permit.name, dropHit],
        ] as const);
  return { policy, entries };
};
