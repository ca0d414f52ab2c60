/** The facts that each program reads from the service through its generated client. */
export interface Account {
  readonly name: string;
  readonly leagues: ReadonlyArray<string>;
  readonly tabs: number;
  /** The service's error code for an item filter that does not exist. */
  readonly errorCode: number | undefined;
}

/** The service and the access token of a user. */
export interface Access {
  readonly baseUrl: string;
  readonly token: string;
}
