import { spawnSync } from "node:child_process";
import { join } from "node:path";
import openApiDocument from "@game-data/contract/openapi.json" with { type: "json" };
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Access, Account } from "../programs/Account.ts";
import { generateClients } from "../src/generate.ts";

const home = join(import.meta.dirname, "..");

let sandbox: RunningSandbox;
let access: Access;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 1 });
  const { baseUrl } = sandbox;
  const token = await sandbox.token({
    clientId: "example-web",
    scopes: ["account:profile", "account:leagues", "account:stashes", "account:item_filter"],
  });
  access = { baseUrl, token };
  const document = { ...openApiDocument, servers: [{ url: baseUrl }] };
  await generateClients(document, join(home, "dist"));
});

afterAll(() => sandbox?.close());

const read = async (program: string): Promise<Account> => {
  const module = (await import(join(home, "programs", `${program}.ts`))) as {
    readonly readAccount: (access: Access) => Promise<Account>;
  };
  return module.readAccount(access);
};

describe("a client generated from the OpenAPI document", () => {
  it("compiles generated clients under strict", () => {
    const compiler = join(home, "../../node_modules/.bin/tsc");
    const { status, stdout } = spawnSync(compiler, ["-p", join(home, "programs")], {
      encoding: "utf8",
    });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  it.each(["openapiFetch", "heyApi", "orval"])(
    "calls the sandbox through a client that %s generated",
    async (program) => {
      const account = await read(program);
      expect(account.name).toBe(sandbox.accounts[0]?.name);
      expect(account.leagues.length).toBeGreaterThan(0);
      expect(account.tabs).toBeGreaterThan(0);
      expect(account.errorCode).toBe(1);
    },
  );
});
