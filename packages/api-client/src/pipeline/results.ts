/** Checks of result bodies by name, and the realm names of a deployment in bodies. */
import { bodies } from "@game-data/contract/results";
export { requestToWire, responseFromWire as resultFromWire } from "@game-data/contract/routes";

/** The first problem of a body; `undefined` if it has the documented shape. */
export const checkResult = (result: string, body: unknown): string | undefined => {
  const record = bodies[result as keyof typeof bodies];
  if (record.is(body)) return undefined;
  const checked = record.safeDecode(body, { issues: 1 });
  return checked.ok ? undefined : checked.error.message;
};
