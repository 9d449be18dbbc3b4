/** An author of changes for the audit log, for tests that do not check the author. */
import type { Actor } from '../../src/core/auth/audit-log/audit-log.ts'

export const ANY_ACTOR: Actor = { person: null, keyName: 'OPERATOR_API_KEY', record: async () => {} }
