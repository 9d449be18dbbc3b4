/** Why a run cannot begin. Each is one line for the person who asked for it. */
export { Unreachable, WrongUse } from '../wrong-use.ts'
