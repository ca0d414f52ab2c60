/** A page log of given pages, for its readers. */
import { Effect, Layer } from "effect";
import { type LoggedPage, PageLog } from "../../src/PageLog.ts";

export const givenLog = (pages: ReadonlyArray<LoggedPage>): Layer.Layer<PageLog> =>
  Layer.succeed(PageLog, {
    positions: Effect.sync(() => {
      const { key, nextId, seq } = pages.at(-1)!;
      return [{ key, nextId, seq, oldestSeq: pages[0]!.seq, bytes: 0 }];
    }),
    next: (_, after) => Effect.sync(() => pages.find(({ seq }) => seq > after)),
    acknowledge: () => Effect.void,
    prune: () => Effect.never,
  });

/** A page whose body is `text`. */
export const loggedPage = (
  page: Pick<LoggedPage, "key" | "seq" | "requestedId" | "nextId">,
  text: string,
): LoggedPage => {
  const body = Buffer.from(text);
  return {
    ...page,
    ...{ body, followsGap: false, receivedAt: 1000, encoding: "identity" },
    ...{ rawBytes: body.length, checksum: `hash of ${page.seq}`, rowCount: 1 },
  };
};
