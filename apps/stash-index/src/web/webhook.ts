/**
 * Sends the events of a watch to an address that the operator names. Users cannot name one: a
 * server that calls any address on request could be made to call what only it can reach.
 */
import { type Duration, Effect, Schedule, Stream } from "effect";
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http";
import type { Filters, InvalidParameter } from "./Parameters.ts";
import { StashIndex } from "./StashIndex.ts";
import { Watch } from "./watch.ts";

/** A watch that runs with the server. */
export interface Webhook {
  readonly url: string;
  /** The parameters of a search. */
  readonly watch: Filters;
  /** The first wait before a call is repeated; each further one is twice as long. */
  readonly retryAfter?: Duration.Input | undefined;
}

/**
 * Posts `{"events": […]}` after each page that has some. A call is repeated for a minute; what then
 * still fails is logged and left out.
 */
export const runWebhook = Effect.fnUntraced(function* (webhook: Webhook) {
  const { retryAfter = "500 millis", url, watch: filters } = webhook;
  const { positions, reader } = yield* StashIndex;
  const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient);
  // A league or currency may be unknown until its first listing arrives; so the watch begins then.
  let watch: Watch | undefined;
  const step = () => (watch ??= new Watch(reader, filters)).step().map(({ event }) => event);
  const send = (events: ReadonlyArray<unknown>) =>
    HttpClientRequest.post(url).pipe(
      HttpClientRequest.bodyJsonUnsafe({ events }),
      client.execute,
      Effect.timeout("10 seconds"),
      Effect.retry({ schedule: Schedule.exponential(retryAfter), times: 6 }),
      Effect.catch((error) => Effect.logError(`The webhook failed: ${error._tag}`)),
    );
  yield* Stream.runForEach(positions, () =>
    Effect.try({ try: step, catch: (error) => error as InvalidParameter }).pipe(
      Effect.flatMap((events) => (events.length === 0 ? Effect.void : send(events))),
      Effect.catch(({ message, parameter }) =>
        Effect.logWarning(`The webhook waits: ${parameter} ${message}`),
      ),
    ),
  );
}, Effect.provide(FetchHttpClient.layer));
