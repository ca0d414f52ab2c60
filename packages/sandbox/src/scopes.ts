/** The scopes of §5, for texts that may name other ones. */
import { isServiceScope, scopes } from "@game-data/contract/Scope";

export { isServiceScope };

/** The fourteen scopes of §5. */
export const SCOPES: ReadonlyArray<string> = scopes;
