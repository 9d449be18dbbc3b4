/** Why a command cannot do its work though nothing is broken in it: its message tells the person who started it what to do. */

/** An option, a setting, or what they point to is wrong (exit code 2). */
export class UsageError extends Error {}

/** Nobody answers where the work is to be done, or nothing is there (exit code 3). */
export class UnavailableError extends Error {}
