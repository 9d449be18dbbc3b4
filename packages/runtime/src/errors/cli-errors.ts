/** Errors of a command that are no defect of the program. The message includes the remedy. */

/** An option, a setting, or its target is wrong (exit code 2). */
export class UsageError extends Error {}

/** The target does not answer, or does not exist (exit code 3). */
export class UnavailableError extends Error {}
