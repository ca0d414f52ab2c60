/**
 * A parameter that the table of operations refuses: client, service and command line name it, its
 * rule and the type of the value, and none of them shows the value.
 */
import { createGameApi } from "@game-data/api-client/promise";
import { type RouteName, routes, urlOf } from "@game-data/contract/routes";
import { beforeEach, expect, it } from "vitest";
import { usePrompt, useService } from "./support/gamedata.ts";

const service = useService();
const prompt = usePrompt();
beforeEach(() => {
  prompt.env = service.envOf("example-web");
});

const CASES: ReadonlyArray<{
  readonly name: RouteName;
  readonly request: object;
  readonly query: string;
  readonly command: ReadonlyArray<string>;
  readonly sentence: string;
}> = [
  {
    name: "pvpMatches.ladder",
    request: { match: "M", limit: 4711 },
    query: "limit=4711",
    command: ["pvp", "ladder", "M", "--limit", "4711"],
    sentence: "limit must be an integer from 1 to 200, got number",
  },
  {
    name: "leagues.list",
    request: { offset: -4711 },
    query: "offset=-4711",
    command: ["leagues", "--offset", "-4711"],
    sentence: "offset must be an integer from 0, got number",
  },
  {
    name: "leagues.list",
    request: { type: "season" },
    query: "type=season",
    command: ["leagues", "--type", "season"],
    sentence: "season is needed for type season",
  },
];

it.each(CASES)("$sentence", async ({ command, name, query, request, sentence }) => {
  const env = prompt.env as Readonly<Record<string, string>>;
  const baseUrl = env["GAME_DATA_BASE_URL"]!;
  const response = await service.control("/tokens", {
    clientId: "example-web",
    scopes: routes[name].scopes,
  });
  const { access_token: token } = response as { readonly access_token: string };

  const api = createGameApi({
    baseUrl,
    credentials: token,
    userAgent: { clientId: "example-web", version: "1.0.0", contact: "me@example.com" },
  });
  const [group, method] = name.split(".") as ["leagues", "list"];
  const refused = await api[group][method](request).catch((error: Error) => error.message);
  await api.close();

  const valid = name === "pvpMatches.ladder" ? { match: "M" } : {};
  const url = `${urlOf({ baseUrl }, name, valid as never)}?${query}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(400);
  const { error } = (await answer.json()) as { readonly error: { readonly message: string } };

  const printed = await prompt.error(command);
  for (const message of [refused, error.message, printed.message]) {
    expect(message).toContain(sentence);
    expect(message).not.toContain("4711");
  }
});

it("refuses what no request is sent for: the ladder's own limit", async () => {
  const printed = await prompt.error("ladder Standard --limit 0");
  expect(printed.message).toBe("Invalid --limit: it must be an integer from 1, got number.");
});
