/** The author of changes whose action is not what a test is about. */
import type { Actor } from '../../src/server/core/auth/audit-log/audit-log.ts'

export const SOMEBODY: Actor = { person: null, keyName: 'OPERATOR_API_KEY', record: async () => {} }
