/** Scope of an API key that is limited to one operator (W-25). */
import type { KeyScopes, ScopeOwner } from '../../core/http/api/key-scope.ts'

const operatorOwner: ScopeOwner = { part: 'params', member: 'operatorId' }

export const OPERATOR_SCOPES: KeyScopes = {
  owners: { changeOperator: operatorOwner, exchangeToken: operatorOwner },
  findOwner: async () => undefined,
}
