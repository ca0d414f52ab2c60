/** Bodies that are nested deeper than a stack: passed on untouched, not written, and told. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startRecorder } from "../../src/record/recorder.ts";

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
    const deployment = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(body);
    });
    await new Promise<void>((resolve) => void deployment.listen(0, "127.0.0.1", resolve));
    const folder = mkdtempSync(join(tmpdir(), "record-deep-"));
    const lines: Array<string> = [];
    const recorder = await startRecorder({
      upstream: `http://127.0.0.1:${(deployment.address() as AddressInfo).port}`,
      folder,
      isRedacted,
      onAnswer: (line) => lines.push(line),
    });
    for (body of BODIES) {
      const passed = await (await fetch(`${recorder.url}/profile`)).text();
      expect(passed === body).toBe(true);
    }
    expect(lines).toEqual(
      BODIES.map(() => "left out profile.get: it is nested deeper than 500 levels"),
    );
    body = '{"uuid":"u","name":"[[[[\\"{{{{"}';
    await fetch(`${recorder.url}/profile`);
    expect(readdirSync(folder)).toContain("00001-profile.get.json");
    await recorder.close();
    await new Promise((resolve) => deployment.close(resolve));
    rmSync(folder, { recursive: true });
  },
);
