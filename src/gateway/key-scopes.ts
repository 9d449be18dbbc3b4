/** What a key of one operator may call (W-25). */
import type { Owner, Scopes } from '../http/key-scope.ts'

const ofOperator: Owner = { part: 'params', member: 'operatorId' }

export const OPERATOR_SCOPES: Scopes = {
  owners: { changeOperator: ofOperator, exchangeToken: ofOperator },
  find: async () => undefined,
}
