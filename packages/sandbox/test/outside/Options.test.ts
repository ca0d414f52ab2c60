/**
 * Every option of a sandbox and every argument of its helpers with values that they cannot have, by
 * exported names alone: each call ends, well or with an error of the package.
 */
import * as exported from "@game-data/sandbox";
import { createSandboxHandler, startSandbox } from "@game-data/sandbox";
import type { SandboxHandler, SandboxOptions } from "@game-data/sandbox";
import { breaks, membersOf, wrongValues } from "@game-data/test-support";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const HOW = {
  within: 20_000,
  tags: new Set(Object.keys(exported)),
};
const source = (file: string) => new URL(`../../src/${file}`, import.meta.url);
const ofSandbox = membersOf(source("Options.ts"), "SandboxOptions");
const healthy: SandboxOptions = { seed: 1, world: { streamStashes: 2, streamHistoryPages: 1 } };
/** One that opens no socket is asked for all but the addresses. */
const addresses = ["port", "host", "allowRemote", "publicUrl", "singlePort", "hosts", "file"];

const open = async (options: SandboxOptions) => (await createSandboxHandler(options)).close();

describe("a sandbox", () => {
  it("takes each option with any value, or refuses it", async () => {
    const of = wrongValues(
      healthy,
      ofSandbox.filter((name) => !addresses.includes(name)),
    );
    expect(await breaks(of, open, HOW)).toStrictEqual([]);
  });

  it("takes each address with any value, or refuses it", async () => {
    const of = wrongValues(healthy, addresses).filter(({ name }) => name !== "file text");
    const start = async (options: SandboxOptions) => (await startSandbox(options)).close();
    expect(await breaks(of, start, HOW)).toStrictEqual([]);
  });

  it("takes each size of its world, or refuses it", async () => {
    const of = wrongValues(healthy.world!, membersOf(source("world/Sizes.ts"), "WorldOptions"));
    expect(await breaks(of, (world) => open({ ...healthy, world }), HOW)).toStrictEqual([]);
  });

  it("takes each member of a client that is registered with it, or refuses it", async () => {
    const client = { clientId: "own", kind: "public" as const, redirectUris: ["http://localhost"] };
    const of = wrongValues(
      client,
      membersOf(source("clients/Registration.ts"), "ClientRegistration"),
    );
    expect(
      await breaks(of, (one) => open({ ...healthy, clients: [one as never] }), HOW),
    ).toStrictEqual([]);
  });
});

describe("a helper", () => {
  let sandbox: SandboxHandler;
  beforeAll(async () => {
    sandbox = await createSandboxHandler(healthy);
  });
  afterAll(() => sandbox.close());

  const values = [undefined, null, 0, -1, Number.NaN, "", "text", {}, []];

  it.each(["token", "consent", "fault", "advance", "verify", "control"] as const)(
    "%s takes any argument, or refuses it",
    async (name) => {
      const of = values.map((value) => ({ name: String(value), member: name, value }));
      const call = (value: unknown) => (sandbox[name] as (one: unknown) => unknown)(value);
      expect(await breaks(of, call, HOW)).toStrictEqual([]);
    },
  );

  it("takes each member of its argument with any value, or refuses it", async () => {
    const token = wrongValues(
      { scopes: ["account:profile"] as never },
      membersOf(source("control.ts"), "TokenOptions"),
    );
    const consent = wrongValues({}, membersOf(source("control.ts"), "ConsentOptions"));
    const verify = wrongValues(
      { match: {}, atLeast: 0 },
      membersOf(source("control.ts"), "Expectation"),
    );
    const broken = await Promise.all([
      breaks(token, (one) => sandbox.token(one as never), HOW),
      breaks(consent, (one) => sandbox.consent("http://localhost/", one as never), HOW),
      breaks(verify, (one) => sandbox.verify(one as never), HOW),
    ]);
    expect(broken.flat()).toStrictEqual([]);
  });
});
