/** Why a run cannot begin. Each is one line for the person who asked for it. */

/** An option is wrong. */
export class WrongUse extends Error {}

/** Nobody answers where something is to be judged. */
export class Unreachable extends Error {}
