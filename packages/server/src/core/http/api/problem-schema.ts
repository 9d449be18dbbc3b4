/**
 * Schema of a problem-details body. It is separate from problem-details.ts, so that a command that
 * throws problems does not load TypeBox.
 */
import { Type } from 'typebox'

export const ProblemSchema = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  code: Type.String(),
  detail: Type.Optional(Type.String()),
  requestId: Type.String(),
  errors: Type.Optional(Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }))),
})
