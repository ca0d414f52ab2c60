/** Bodies that are nested deeper than a stack: passed on untouched, not written, and told. */
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { recordedServer } from "./deployment.ts";

const deep = (open: string, inner: string, close: string): string =>
  open.repeat(200_000) + inner + close.repeat(200_000);

const BODIES: ReadonlyArray<string> = [
  `{"uuid":"u","name":"n","guild":${deep('{"guild":', "null", "}")}}`,
  deep("[", "", "]"),
  deep('{"a":[', "1", "]}"),
];

it.each([true, false])(
  "are left out (redacted: %s), and the recorder goes on",
  async (isRedacted) => {
    let body = "";
    await using recorder = await recordedServer(
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(body);
      },
      { isRedacted },
    );
    for (body of BODIES) {
      const passed = await (await fetch(`${recorder.url}/profile`)).text();
      expect(passed === body).toBe(true);
    }
    expect(recorder.lines).toEqual(
      BODIES.map(() => "left out profile.get: it is nested deeper than 500 levels"),
    );
    body = '{"uuid":"u","name":"[[[[\\"{{{{"}';
    await fetch(`${recorder.url}/profile`);
    expect(readdirSync(recorder.folder)).toContain("00001-profile.get.json");
  },
);
