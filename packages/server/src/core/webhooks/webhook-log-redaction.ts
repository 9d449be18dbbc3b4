/** Redaction of webhook URLs in the audit log. */

import type { AuditLogPage } from '../auth/audit-log/audit-log-list.ts'
import { hasRole, type Principal } from '../http/api/principal.ts'

const MASK = '***'

/**
 * A secret address may be the consumer's only protection, so only admins see it (W-42). Every
 * reader sees that it changed.
 */
export function redactWebhookUrls(caller: Principal, page: AuditLogPage): AuditLogPage {
  return hasRole(caller, 'admin') ? page : { ...page, data: page.data.map(redactUrls) }
}

function redactUrls(action: AuditLogPage['data'][number]): AuditLogPage['data'][number] {
  const { on, before, after } = action
  return on.webhookId === undefined ? action : { ...action, before: redactUrl(before), after: redactUrl(after) }
}

function redactUrl(view: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...view, ...('url' in view && { url: MASK }) }
}
