/** A parameter that a query cannot use. Apart, so that a thread of queries loads no schema. */
export class InvalidParameter extends Error {
  /** Its name; the message is the reason. */
  readonly parameter: string;
  constructor(parameter: string, reason: string) {
    super(reason);
    this.parameter = parameter;
  }
}
