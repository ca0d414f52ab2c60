/**
 * 200 fibers in each of two processes share one file store, access tokens live two seconds, for 30
 * seconds.
 *
 * The server rotates refresh tokens and ends the grant when one is used twice, as the strictest
 * servers do. The soak passes when nobody ever gets `invalid_grant` and there was one refresh per
 * expiry. `node bench/soak.ts [--seconds 30] [--json]`.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Effect, Redacted } from "effect";
import { OAuthClient, Session, type TokenSet } from "../src/index.ts";
import { FileStore } from "../src/node/index.ts";

const LIFETIME_SECONDS = 2;

/** The result of one run. */
export interface SoakResult {
  readonly seconds: number;
  readonly processes: number;
  readonly fibers: number;
  /** Tokens handed out. */
  readonly calls: number;
  readonly refreshes: number;
  /** Tokens that had ended, or almost, when they were refreshed. */
  readonly expiries: number;
  readonly invalidGrants: number;
  readonly errors: Readonly<Record<string, number>>;
}

/** Runs the soak. */
export const soak = async (seconds: number, fibers = 200, processes = 2): Promise<SoakResult> => {
  const folder = await mkdtemp(join(tmpdir(), "oauth-soak-"));
  const server = await strictServer();
  try {
    await signIn(folder, server.issue());
    const outputs = await Promise.all(
      Array.from({ length: processes }, () => worker(server.url, folder, fibers, seconds)),
    );
    const errors: Record<string, number> = {};
    for (const output of outputs)
      for (const [tag, count] of Object.entries(output.errors))
        errors[tag] = (errors[tag] ?? 0) + count;
    return {
      seconds,
      processes,
      fibers,
      calls: outputs.reduce((sum, { calls }) => sum + calls, 0),
      ...server.counters,
      errors,
    };
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
};

const soakClient = (authUrl: string) =>
  OAuthClient.publicClient({ authUrl, clientId: "soak", redirectUri: "http://127.0.0.1/callback" });

const strictServer = async () => {
  const counters = { refreshes: 0, expiries: 0, invalidGrants: 0 };
  let generation = 0;
  let issuedAt = 0;
  let isRevoked = false;
  const issue = () => {
    generation += 1;
    issuedAt = performance.now();
    return {
      access_token: `access-${generation}`,
      token_type: "bearer",
      expires_in: LIFETIME_SECONDS,
      scope: "account:profile",
      refresh_token: `refresh-${generation}`,
    };
  };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const used = new URLSearchParams(body).get("refresh_token");
      const isCurrent = !isRevoked && used === `refresh-${generation}`;
      response.setHeader("content-type", "application/json");
      if (!isCurrent) {
        isRevoked = true;
        counters.invalidGrants += 1;
        response.statusCode = 400;
        response.end('{"error":"invalid_grant"}');
        return;
      }
      counters.refreshes += 1;
      // Before half of its life a refresh is wasted, however slow this machine is.
      if (performance.now() - issuedAt >= LIFETIME_SECONDS * 500) counters.expiries += 1;
      response.end(JSON.stringify(issue()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, counters, issue, close };
};

const signIn = (folder: string, issued: { access_token: string; refresh_token: string }) => {
  const now = Date.now();
  const tokens: TokenSet.TokenSet = {
    accessToken: Redacted.make(issued.access_token),
    refreshToken: Redacted.make(issued.refresh_token),
    expiresAt: now + LIFETIME_SECONDS * 1000,
    issuedAt: now,
    consentExpiresAt: now + 86_400_000,
    scopes: ["account:profile"],
  };
  return Effect.runPromise(
    Effect.gen(function* () {
      const store = yield* FileStore.make(folder);
      yield* Session.forUser(yield* soakClient("https://auth.example"), { store }).signIn(tokens);
    }),
  );
};

const worker = (url: string, folder: string, fibers: number, seconds: number) =>
  new Promise<{ calls: number; errors: Record<string, number> }>((resolve, reject) => {
    const script = join(import.meta.dirname, "soakWorker.ts");
    const child = spawn(process.execPath, [script, url, folder, `${fibers}`, `${seconds}`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("error", reject);
    child.on("close", () => {
      try {
        resolve(JSON.parse(output));
      } catch {
        reject(new Error(`the worker printed: ${output}`));
      }
    });
  });

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "30" },
      json: { type: "boolean", default: false },
    },
  });
  const result = await soak(Number(values.seconds));
  console.log(values.json ? JSON.stringify(result) : result);
  const isGood =
    result.invalidGrants === 0 &&
    result.refreshes === result.expiries &&
    Object.keys(result.errors).length === 0;
  process.exitCode = isGood ? 0 : 1;
}
