/**
 * One process of the soak: many fibers that want a fresh token all the time, on a shared file
 * store. Arguments: auth URL, folder, fibers, seconds. Prints `{"calls","errors"}` with errors by
 * tag.
 */
import { Effect } from "effect";
import { OAuthClient, Session } from "../src/index.ts";
import { FileStore } from "../src/node/index.ts";

const [authUrl = "", folder = "", fibers = "200", seconds = "30"] = process.argv.slice(2);

const program = Effect.gen(function* () {
  const redirectUri = "http://127.0.0.1/callback";
  const client = yield* OAuthClient.publicClient({ authUrl, clientId: "desktop", redirectUri });
  const session = Session.forUser(client, { store: yield* FileStore.make(folder) });
  const errors: Record<string, number> = {};
  let calls = 0;
  const fiber = Effect.match(session.accessToken, {
    onSuccess: () => (calls += 1),
    onFailure: ({ _tag: tag }) => (errors[tag] = (errors[tag] ?? 0) + 1),
  }).pipe(
    // Uneven on purpose, so that the fibers do not march in step.
    Effect.andThen(Effect.suspend(() => Effect.sleep(5 + (calls % 17)))),
    Effect.forever,
  );
  yield* Effect.all(
    Array.from({ length: Number(fibers) }, () => fiber),
    { concurrency: "unbounded", discard: true },
  ).pipe(Effect.timeoutOption(`${Number(seconds)} seconds`));
  console.log(JSON.stringify({ calls, errors }));
});

await Effect.runPromise(program);
