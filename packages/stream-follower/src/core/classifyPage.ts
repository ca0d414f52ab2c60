/**
 * Classifies a complete page as new data, end of stream, or protocol violation. Pure; the stream
 * acts on the result.
 */
import { hourOf } from "../Decode.ts";
import { type FollowError, HistoryGap, ProtocolViolation } from "../Errors.ts";
import type { EventName } from "./StateMachine.ts";
import type { GapRecord, Page, QuarantineRecord, StreamKey } from "../Model.ts";
import type { Settings } from "../Options.ts";
import type { FetchedPage } from "./fetchPage.ts";

/** A page that is whole and readable. */
interface ReceivedPage extends Pick<
  Page,
  "nextId" | "rows" | "bounds" | "wire" | "raw" | "checksum"
> {
  readonly fetched?: FetchedPage;
}

/** An event for the machine, with what goes with it. */
export interface PageEvent {
  readonly event: EventName;
  readonly page?: ReceivedPage;
  /** Data, and nothing follows it yet. */
  readonly atTail?: boolean;
  readonly gap?: GapRecord;
  readonly quarantine?: QuarantineRecord;
  /** Wait before the same id is requested again, in milliseconds. */
  readonly waitMillis?: number;
  readonly violations?: ReadonlyArray<ProtocolViolation["kind"]>;
  /** The broken rule that the policy waits for. */
  readonly violation?: ProtocolViolation;
  /** Id that a rewind leads to. */
  readonly id?: string | undefined;
  readonly error?: FollowError;
}

/** The position that a page is compared with. */
interface PageContext {
  readonly key: StreamKey;
  readonly settings: Pick<Settings, "onCycle" | "onGap">;
  readonly requestedId: string | undefined;
  readonly lastChecksum: string | undefined;
  readonly wasVisited: (id: string) => boolean;
}

/** Classifies a page. */
export const classifyPage = (page: ReceivedPage, now: PageContext): PageEvent => {
  if (page.nextId === now.requestedId) return classifySameId(page, now);
  const violation = backwardsOrCycle(page.nextId, now);
  if (violation !== undefined && now.settings.onCycle !== "accept") {
    const violations = [violation.kind];
    return now.settings.onCycle === "halt"
      ? { event: "fatal", error: violation, violations }
      : { event: "violation", violation, violations };
  }
  const violations = violation === undefined ? [] : [violation.kind];
  const gap = skippedHours(page.nextId, now);
  if (gap !== undefined && now.settings.onGap === "halt") {
    return { event: "fatal", error: new HistoryGap(gap) };
  }
  // An empty page of the stash stream is its end even when it names another id: that id is where to
  // poll (§4.2 rule 4). An hour without trade is not the end of the exchange: there only the id
  // says so.
  const atTail = page.rows.length === 0 && now.key.source === "stashes";
  return { event: "data", page, atTail, violations, ...(gap === undefined ? {} : { gap }) };
};

/**
 * The same id again is the end of the stream. With rows it is a broken rule too, and the rows are
 * taken once.
 */
const classifySameId = (page: ReceivedPage, now: PageContext): PageEvent => {
  if (page.rows.length === 0) return { event: "tail" };
  const violations = ["SameIdWithData"] as const;
  if (now.lastChecksum === page.checksum) return { event: "tail", violations };
  return { event: "data", page, atTail: true, violations };
};

const backwardsOrCycle = (nextId: string, now: PageContext): ProtocolViolation | undefined => {
  const id = now.requestedId ?? "";
  const isHour = now.key.source === "exchange" && now.requestedId !== undefined;
  if (isHour && Number(nextId) < Number(now.requestedId)) {
    return new ProtocolViolation({ kind: "Backwards", id, nextId });
  }
  return now.wasVisited(nextId) ? new ProtocolViolation({ kind: "Cycle", id, nextId }) : undefined;
};

const skippedHours = (nextId: string, now: PageContext): GapRecord | undefined => {
  if (now.key.source !== "exchange" || now.requestedId === undefined) return undefined;
  const expected = Number(now.requestedId) + HOUR_SECONDS;
  return Number(nextId) > expected
    ? { kind: "skipped", from: String(expected), to: nextId }
    : undefined;
};

const HOUR_SECONDS = 3600;

/** Stash pages are counted; exchange pages carry their hour, unless that would not grow. */
export const nextSeq = (
  key: StreamKey,
  requestedId: string | undefined,
  nextId: string,
  last: bigint,
): bigint => {
  if (key.source === "stashes") return last + 1n;
  const hour = BigInt(hourOf({ requestedId, nextId }));
  return hour > last ? hour : last + 1n;
};
