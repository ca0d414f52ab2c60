/**
 * Environment variables with the addresses and the client of a program:
 * `GAME_DATA_AUTH_URL`, `_BASE_URL`, `_CONTROL_URL`, `_CLIENT_ID`, `_CLIENT_SECRET`, `_TOKENS` (a
 * folder for its tokens), and `_CONFIG` (a configuration file without settings).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { SandboxOptions } from "./Options.ts";
import { UnknownClient } from "./Errors.ts";
import type { SandboxInfo } from "./assemble.ts";
import { wordsOf } from "./internal/words.ts";

/** Variables about another service, which the program must not inherit. */
const OF_ELSEWHERE: ReadonlySet<string> = new Set(
  wordsOf("GAME_DATA_CLIENT_SECRET GAME_DATA_PROFILE GAME_DATA_TOKEN GAME_DATA_WORDS"),
);

/** Builds the environment of a program, with a folder that is removed when the scope closes. */
export const programEnvironment = Effect.fnUntraced(function* (
  info: SandboxInfo,
  clientId: string,
  base: NodeJS.ProcessEnv,
  words: SandboxOptions["words"],
) {
  const client = info.clients.find((each) => each.clientId === clientId);
  if (client === undefined)
    return yield* Effect.fail(
      new UnknownClient({ clientId, known: info.clients.map((each) => each.clientId) }),
    );
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "game-data-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
  );
  writeFileSync(join(folder, "config.json"), "{}");
  mkdirSync(join(folder, "tokens"), { mode: 0o700 });
  const own: Record<string, string> = {
    GAME_DATA_AUTH_URL: info.authUrl,
    GAME_DATA_BASE_URL: info.baseUrl,
    GAME_DATA_CONTROL_URL: info.controlUrl,
    GAME_DATA_CLIENT_ID: clientId,
    GAME_DATA_CONFIG: join(folder, "config.json"),
    GAME_DATA_TOKENS: join(folder, "tokens"),
    ...(client.clientSecret !== undefined && { GAME_DATA_CLIENT_SECRET: client.clientSecret }),
    ...(info.controlKey !== undefined && { GAME_DATA_CONTROL_KEY: info.controlKey }),
  };
  if (words !== undefined) {
    own["GAME_DATA_WORDS"] = join(folder, "words.json");
    writeFileSync(own["GAME_DATA_WORDS"], JSON.stringify(words));
  }
  const kept = Object.entries(base).filter(([name]) => !OF_ELSEWHERE.has(name));
  return { ...Object.fromEntries(kept), ...own };
});
