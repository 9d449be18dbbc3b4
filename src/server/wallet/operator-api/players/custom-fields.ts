/** `customFields` as the operator may store them: the wire's, with days that exist, and of a size that can be served. */
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { CustomFieldsSchema } from '../../../../protocol/user-profile.ts'
import { invalid } from '../../../core/http/api/problem-details.ts'

/** Bytes as JSON. Every User data call carries them, and a platform that reads answers of 64 KiB, as ours, must still read it (P-2). */
const MAX_BYTES = 16 * 1024

export const StoredFieldsSchema = Type.Object(
  { ...CustomFieldsSchema.properties, birthday: Type.Optional(Type.String({ format: 'date' })) },
  {
    description: `User data sends these members to the platform unchanged, unknown members included (P-2). At most ${MAX_BYTES} bytes as JSON.`,
  },
)
export type StoredFields = Static<typeof StoredFieldsSchema>

const validator = Compile(StoredFieldsSchema)

/** The same, or a 400. */
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

/** "2026-02-30 10:00:00" has the right form; a Date would make the 2nd of March of it. */
function isExistingTime(time: string): boolean {
  const iso = `${time.replace(' ', 'T')}.000Z`
  return new Date(iso).toJSON() === iso
}
