/** A deployment of the tests, and a recorder in front of it. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RecordOptions, startRecorder } from "../../src/record/recorder.ts";

/** Serves, and records into a folder of its own. */
export const recordedServer = async (
  serve: RequestListener,
  options: Partial<RecordOptions> = {},
) => {
  const server = createServer(serve).listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = mkdtempSync(join(tmpdir(), "record-"));
  const lines: Array<string> = [];
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const onAnswer = (line: string) => void lines.push(line);
  const recorder = await startRecorder({ upstream, folder, onAnswer, ...options });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= recorder.close());
  return {
    ...recorder,
    close,
    folder,
    lines,
    server,
    upstream,
    [Symbol.asyncDispose]: async () => {
      await close();
      server.close();
      server.closeAllConnections();
      rmSync(folder, { recursive: true });
    },
  };
};
