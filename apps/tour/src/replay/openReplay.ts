/**
 * Captured responses, as a recording for the sandbox and as what the steps compare with.
 */
import type { SandboxOptions } from "@game-data/sandbox";
import { readCaptured, treesIn } from "./captured.ts";
import { setAside } from "./setAside.ts";
import { charactersIn, tabsIn, writeRecording } from "./writeRecording.ts";

/** The content of a folder, its counts, and the names to request. */
export type Replay = Awaited<ReturnType<typeof openReplay>>;

/** Reads a folder, and writes what of it is served into `recording`. */
export const openReplay = async (
  folder: string,
  recording: string,
  world: SandboxOptions["world"],
) => {
  const { captured, refused } = setAside(readCaptured(folder));
  const counts = await writeRecording(captured, recording, world);
  const reasons = captured.files.map(({ notServed }) => notServed);
  const uuid = captured.files.find(({ kind }) => kind === "Profile")?.body["uuid"];
  return {
    ...captured,
    /** Records that are not served, because their schema refuses them. */
    refused,
    counts,
    /** Numbers of files that the sandbox does not serve, by the reason. */
    notServed: [...Map.groupBy(reasons, (reason) => reason)].flatMap(([reason, { length }]) =>
      reason === undefined ? [] : [[reason, length] as const],
    ),
    /** The account of the captured profile. */
    uuid: typeof uuid === "string" ? uuid : undefined,
    characters: charactersIn(captured),
    tabIds: tabsIn(captured).map(({ id }) => String(id)),
    trees: treesIn(captured),
  };
};
