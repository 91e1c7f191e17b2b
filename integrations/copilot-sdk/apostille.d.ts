/** The second argument of a hook. */
export interface Invocation {
  sessionId: string;
}

/** Text for the model. */
export interface Context {
  additionalContext: string;
}

/** A hook that may have something to say. */
export type Asking = (input: object, invocation: Invocation) => Promise<Context | undefined>;

/** A hook that only listens. */
export type Listening = (input: object, invocation: Invocation) => Promise<void>;

export interface Options {
  /** The program. Default: `apostille`. */
  command?: string;
  /** Words before `hook`, when the program is started through another one. */
  args?: readonly string[];
  /** After so many milliseconds the agent goes on without an answer. Default: 1000. */
  timeout?: number;
  /** Variables for the program, beside those of this process. */
  env?: Readonly<Record<string, string>>;
  /** Called when an answer could not be had. */
  onProblem?: (event: string, problem: unknown) => void;
}

export interface ApostilleHooks {
  onSessionStart: Asking;
  onUserPromptSubmitted: Asking;
  onPostToolUse: Asking;
  onAgentStop: Listening;
  onSessionEnd: Listening;
}

/** The hooks for `SessionConfig.hooks`. None of them ever throws. */
export function apostilleHooks(options?: Options): ApostilleHooks;
