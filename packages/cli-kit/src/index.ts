/**
 * Everything that a program at a shell prompt needs around the packages: settings, sign-in, output,
 * failures with exit codes.
 *
 * A program that wants to start fast imports the modules one by one (`@game-data/cli-kit/Output`):
 * `Connection`, `SignIn`, `SignOut` and `Checks` load the client packages, the others do not.
 *
 * @packageDocumentation
 */
export * as Bar from "./Bar.ts";
export * as Catalogue from "./Catalogue.ts";
export * as Chart from "./Chart.ts";
export * as Checks from "./Checks.ts";
export * as Commands from "./Commands.ts";
export * as Connection from "./Connection.ts";
export * as Destination from "./Destination.ts";
export * as ExitCode from "./ExitCode.ts";
export * as Explain from "./Explain.ts";
export * as Failure from "./Failure.ts";
export * as Failures from "./Failures.ts";
export * as Flags from "./Flags.ts";
export * as Following from "./Following.ts";
export * as Input from "./Input.ts";
export * as Kinds from "./Kinds.ts";
export * as LiveLimits from "./LiveLimits.ts";
export * as Main from "./Main.ts";
export * as Output from "./Output.ts";
export * as Program from "./Program.ts";
export * as Ranks from "./Ranks.ts";
export * as Report from "./Report.ts";
export * as ReportSteps from "./ReportSteps.ts";
export * as Service from "./Service.ts";
export * as Settings from "./Settings.ts";
export * as SignIn from "./SignIn.ts";
export * as SignOut from "./SignOut.ts";
export * as Speaker from "./Speaker.ts";
export * as Tokens from "./Tokens.ts";
export * as TreeLinks from "./TreeLinks.ts";
export * as Views from "./Views.ts";
