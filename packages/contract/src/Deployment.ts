/** The addresses of a service and its realm names. */
import type { Words } from "./Words.ts";

/** A service: its addresses (§1) and its realm names. */
export interface Deployment {
  /** {auth_url}: address of the OAuth server. */
  readonly authUrl: string;
  /** {base_url}: address of the data API. */
  readonly baseUrl: string;
  /** Its words, if they are not the specification's. */
  readonly words?: Words | undefined;
}
