/**
 * Stored form of `customFields`: the members of the wire, with dates that exist and a limited size.
 */

import { CustomFieldsSchema } from '@purser/protocol/user-profile'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { invalid } from '../../../core/http/api/problem-details.ts'

/**
 * Bytes as JSON. Each User data call returns them, and a platform that reads at most 64 KiB, like
 * ours, must accept the answer (P-2).
 */
const MAX_BYTES = 16 * 1024

export const StoredFieldsSchema = Type.Object(
  { ...CustomFieldsSchema.properties, birthday: Type.Optional(Type.String({ format: 'date' })) },
  {
    description: `User data sends these members to the platform unchanged, unknown members included (P-2). At most ${MAX_BYTES} bytes as JSON.`,
  },
)
export type StoredFields = Static<typeof StoredFieldsSchema>

const validator = Compile(StoredFieldsSchema)

/** Returns the fields, or throws a 400. */
export function toStoredFields(fields: object): StoredFields {
  if (!validator.Check(fields)) {
    const [fault] = validator.Errors(fields)
    throw invalid(`/customFields${fault?.instancePath ?? ''}`, fault?.message ?? 'is not valid')
  }
  if (fields.registrationDate !== undefined && !isExistingTime(fields.registrationDate))
    throw invalid('/customFields/registrationDate', 'is not a time that exists')
  if (Buffer.byteLength(JSON.stringify(fields)) > MAX_BYTES)
    throw invalid('/customFields', `is larger than ${MAX_BYTES} bytes`)
  return fields
}

/** "2026-02-30 10:00:00" matches the pattern, but a Date would read it as 2 March. */
function isExistingTime(time: string): boolean {
  const iso = `${time.replace(' ', 'T')}.000Z`
  return new Date(iso).toJSON() === iso
}
