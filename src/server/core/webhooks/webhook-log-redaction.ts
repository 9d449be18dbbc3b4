/** Webhooks in the action log. */

import type { AuditLogPage } from '../auth/audit-log/audit-log-list.ts'
import { hasRole, type Principal } from '../http/api/principal.ts'

const MASK = '***'

/** An address may be all that keeps strangers away from a consumer: the log shows it to whoever may see webhooks, and that it changed to all. */
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
