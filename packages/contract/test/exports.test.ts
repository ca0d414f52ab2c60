/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("the entries of @game-data/contract export exactly the names of the snapshot", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./CharacterClass: characterClasses
    ./ConfigurationInvalid: ConfigurationInvalid
    ./ErrorCode: ErrorCode errorCodeOfStatus errorText errors statusOfErrorCode
    ./Lifetimes: Lifetimes
    ./Scope: isScope isServiceScope scopes userScopes
    ./SecureUrl: isLoopbackHost isSecureUrl
    ./UserAgent: formatUserAgent isHeaderText
    ./effect: CharacterList CharacterResult CurrencyExchangePage ErrorBody ErrorDetail
      EventLadder FilterAccepted FilterCreate FilterList FilterResult FilterUpdate
      FilterUpdated Ladder LeagueAccountResult LeagueList LeagueResult MatchLadder MatchList
      MatchResult Profile PublicStashPage StashList StashResult bodySchemas
    ./failure: failureToJson fieldsOf helpUrl
    ./inflate: ACCEPTED_CODINGS InflateError acceptedCoding inflate inflateStream
      inflateSync
    ./node/replaceFile: replaceFile replaceFileWith
    ./results: CharacterList CharacterResult CurrencyExchangePage ErrorBody EventLadder
      FilterAccepted FilterCreate FilterList FilterResult FilterUpdate FilterUpdated Ladder
      LeagueAccountResult LeagueList LeagueResult MatchLadder MatchList MatchResult Profile
      PublicStashPage StashList StashResult bodies
    ./retryAfter: retryAfterMillis
    ./routes: Limits ParameterInvalid WordsInvalid identityWords isIdentity makeWords
      matchPath oauthRoutes operations pageLimit parameterValue parametersOf realmFromWire
      realmToWire renamableRealms requestFromWire requestPath requestTarget requestToWire
      responseFromWire responseToWire routeOf routes urlOf violation
    ./taggedFailure: taggedFailures
    .: ErrorCode Limits ParameterInvalid RateLimitHeaders WordsInvalid characterClasses
      errorCodeOfStatus errorText errors formatUserAgent identityWords isHeaderText isIdentity
      isLoopbackHost isScope isSecureUrl isServiceScope makeWords matchPath oauthRoutes
      operations pageLimit parameterValue parametersOf realmFromWire realmToWire realms
      renamableRealms requestFromWire requestPath requestTarget requestToWire responseFromWire
      responseToWire retryAfterMillis routeOf routes scopes statusOfErrorCode urlOf userScopes
      violation"
  `);
});
