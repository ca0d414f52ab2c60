import { describe, expect, it } from "vitest";
import { openData, segment } from "./harness.ts";

const words = { console_a: "box", console_b: "station", game2: "sequel", livestream: "channel" };
const sandbox = await openData({ words });
const { get } = sandbox;

describe("a sandbox that speaks another deployment's words", () => {
  it("takes them in paths and queries, and says them in bodies", async () => {
    const { characters } = (await get("/character/sequel")).body;
    expect(characters.length).toBeGreaterThan(0);
    for (const one of characters) expect(one.realm).toBe("sequel");
    const { character } = (await get(`/character/sequel/${segment(characters[0].name)}`)).body;
    expect(character.equipment[0].realm).toBe("sequel");
    expect((await get("/league?realm=box")).body.leagues[0].realm).toBe("box");
    expect((await get("/stash/station/Standard")).body.stashes.length).toBeGreaterThan(0);
    expect((await get("/profile")).body).toMatchObject({ channel: { name: expect.any(String) } });
    expect((await get("/profile")).body).not.toHaveProperty("livestream");
    const { league } = (await get("/league/Standard/ladder?realm=box&limit=500")).body;
    expect(league.entries.every((one: any) => one.account.realm === "box")).toBe(true);
    expect(league.entries.some((one: any) => one.account.channel !== undefined)).toBe(true);
  });

  it("takes them in the body of a filter", async () => {
    const { body, status } = await sandbox.post("/item-filter?validate=true", {
      filter_name: "Sequel",
      realm: "sequel",
      filter: "Show\n",
    });
    expect(status).toBe(200);
    expect(body.filter).toMatchObject({ realm: "sequel", validation: { version: "0.9.0" } });
    expect((await get(`/item-filter/${body.filter.id}`)).body.filter.realm).toBe("sequel");
  });

  it("does not know the neutral words that it has replaced", async () => {
    expect((await get("/league?realm=console_a")).status).toBe(400);
    expect((await get("/character/game2")).body).toEqual({ character: null });
    expect((await get("/public-stash-tabs/console_a")).status).toBe(400);
  });

  it("leaves bodies without words alone, and the errors too", async () => {
    expect((await get("/public-stash-tabs/box")).body.stashes.length).toBeGreaterThan(0);
    expect((await get("/currency-exchange/sequel")).body.markets.length).toBeGreaterThan(0);
    expect((await get("/nope")).status).toBe(404);
  });
});
