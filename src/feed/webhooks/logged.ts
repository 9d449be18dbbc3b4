/** Webhooks in the action log. */
import { type Caller, mayDo } from '../../http/caller.ts'
import type { ActionPage } from '../../people/action-list.ts'

const MASK = '***'

/** An address may be all that keeps strangers away from a consumer: the log shows it to whoever may see webhooks, and that it changed to all. */
export function forCaller(caller: Caller, page: ActionPage): ActionPage {
  return mayDo(caller, 'admin') ? page : { ...page, data: page.data.map(withoutAddress) }
}

function withoutAddress(action: ActionPage['data'][number]): ActionPage['data'][number] {
  const { on, before, after } = action
  return on.webhookId === undefined ? action : { ...action, before: masked(before), after: masked(after) }
}

function masked(view: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...view, ...('url' in view && { url: MASK }) }
}
