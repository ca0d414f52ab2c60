import { createSandboxHandler, startSandbox } from "@game-data/sandbox";
import { expect, it } from "vitest";

it("answers over a port and in process", async () => {
  const sandbox = await startSandbox();
  try {
    expect((await fetch(`${sandbox.authUrl}/oauth/ready`)).status).toBe(200);
    expect((await fetch(`${sandbox.baseUrl}/oauth/ready`)).status).toBe(404);
  } finally {
    await sandbox.close();
  }
  const inProcess = await createSandboxHandler();
  expect((await inProcess.fetch(new Request(`${inProcess.authUrl}/oauth/ready`))).status).toBe(200);
  await inProcess.close();
});
