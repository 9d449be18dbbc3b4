/** The author of changes whose action is not what a test is about. */
import type { Author } from '../../src/people/actions.ts'

export const SOMEBODY: Author = { person: null, keyName: 'OPERATOR_API_KEY', record: async () => {} }
