/** A browser that comes back to a loopback receiver. */
import { request } from "node:http";
import { type Duration, Effect, Redacted } from "effect";
import { PkceFlow } from "../src/index.ts";
import { LoopbackReceiver } from "../src/node/index.ts";
import { publicClient } from "./clients.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | ReadonlyArray<string> | undefined>;
  readonly body: string;
}

/** Sends one request. */
export const knock = (
  url: string,
  options: { method?: string; headers?: Record<string, string>; host?: string } = {},
) =>
  Effect.callback<Answer, Error>((resume) => {
    const { hostname, port, pathname, search } = new URL(url);
    const sent = request(
      {
        host: options.host ?? hostname.replace(/^\[|\]$/g, ""),
        port,
        path: pathname + search,
        method: options.method ?? "GET",
        headers: { host: `${hostname}:${port}`, ...options.headers },
        agent: false,
      },
      (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
        response.on("end", () =>
          resume(
            Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, body }),
          ),
        );
      },
    );
    sent.on("error", (error) => resume(Effect.fail(error)));
    sent.end();
  });

/** Sends the callback and goes on to the page of the outcome, as a browser does. */
export const browse = Effect.fnUntraced(function* (url: string) {
  const answer = yield* knock(url);
  yield* knock(new URL(String(answer.headers["location"]), url).href);
  return answer;
});

/** A receiver that waits for a flow's callback. */
export const waiting = Effect.fnUntraced(function* (
  options: LoopbackReceiver.ReceiverOptions = {},
  delay: Duration.Input = 0,
) {
  const client = yield* publicClient("https://auth.example.com");
  const receiver = yield* LoopbackReceiver.make(options);
  const { redirectUri } = receiver;
  const { pending } = yield* PkceFlow.start(client, { scopes: ["account:profile"], redirectUri });
  const fiber = yield* Effect.forkChild(
    Effect.exit(
      receiver.receive((url) =>
        Effect.delay(PkceFlow.validateCallback(client, pending, url), delay),
      ),
    ),
  );
  yield* Effect.yieldNow;
  const state = Redacted.value(pending.state);
  return { redirectUri, fiber, state, good: `${redirectUri}?code=the-code&state=${state}` };
});
