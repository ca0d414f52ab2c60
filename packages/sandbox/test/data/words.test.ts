import { describe, expect, it } from "vitest";
import { openData, segment } from "./harness.ts";

const words = { console_a: "box", console_b: "station", game2: "sequel", livestream: "channel" };
const sandbox = await openData({ words });
const { get, read } = sandbox;

describe("a sandbox that speaks another deployment's words", () => {
  it("a sandbox with its own realm and field names reads them in URLs, and sends them in bodies", async () => {
    const { characters } = await read("/character/sequel");
    expect(characters.length).toBeGreaterThan(0);
    for (const one of characters) expect(one.realm).toBe("sequel");
    const { character } = await read(`/character/sequel/${segment(characters[0].name)}`);
    expect(character.equipment[0].realm).toBe("sequel");
    expect((await read("/league?realm=box")).leagues[0].realm).toBe("box");
    expect((await read("/stash/station/Standard")).stashes.length).toBeGreaterThan(0);
    expect(await read("/profile")).toMatchObject({ channel: { name: expect.any(String) } });
    expect(await read("/profile")).not.toHaveProperty("livestream");
    const { league } = await read("/league/Standard/ladder?realm=box&limit=500");
    expect(league.entries.every((one: any) => one.account.realm === "box")).toBe(true);
    expect(league.entries.some((one: any) => one.account.channel !== undefined)).toBe(true);
  });

  it("a sandbox with its own realm names reads them in the body of a filter", async () => {
    const draft = { filter_name: "Sequel", realm: "sequel", filter: "Show\n" };
    const { body, status } = await sandbox.post("/item-filter?validate=true", draft);
    expect(status).toBe(200);
    expect(body.filter).toMatchObject({ realm: "sequel", validation: { version: "0.9.0" } });
    expect((await read(`/item-filter/${body.filter.id}`)).filter.realm).toBe("sequel");
  });

  it("a sandbox with its own realm names refuses the specification's names", async () => {
    expect((await get("/league?realm=console_a")).status).toBe(400);
    const draft = { filter_name: "Neutral", realm: "console_a", filter: "Show\n" };
    expect((await sandbox.post("/item-filter", draft)).status).toBe(400);
    expect(await read("/character/game2")).toEqual({ character: null });
    expect((await get("/public-stash-tabs/console_a")).status).toBe(400);
  });

  it("a sandbox with its own realm names does not change errors and bodies without realms", async () => {
    expect((await read("/public-stash-tabs/box")).stashes.length).toBeGreaterThan(0);
    expect((await read("/currency-exchange/sequel")).markets.length).toBeGreaterThan(0);
    expect((await get("/nope")).status).toBe(404);
  });

  it("a sandbox with its own realm names lists them in the message of a refusal", async () => {
    const { body } = await get("/league?realm=console_a");
    expect(body.error.message).toBe(
      "Invalid query: realm must be one of pc, box, station, sequel.",
    );
  });

  it("faults and `verify` match paths with a deployment's own realm names", async () => {
    await sandbox.control("DELETE", "/journal");
    const match = { path: "/character/box" };
    await sandbox.fault({ match, fault: { kind: "status", status: 503 } });
    expect((await get("/character/box")).status).toBe(503);
    expect((await get("/character/station")).status).toBe(200);
    await sandbox.control("DELETE", "/faults");
    await sandbox.verify({ match, exactly: 1 });
  });

  it("a sandbox with its own realm names reads them in paths of the control plane's `/world`", async () => {
    const world = await sandbox.control("GET", "/world?path=/character/sequel");
    expect(((await world.json()) as any).characters.length).toBeGreaterThan(0);
  });
});
