/** Example calls about webhooks for the wallet's API reference. */
const WEBHOOK = { url: 'https://crm.example/purser', events: ['bet.placed', 'bet.settled'] }
const HOOK = '/operator/webhooks/crm'
const LOCAL = '/operator/webhooks/local'
const NONE = '/operator/webhooks/no-such-one'
const MALFORMED = '/operator/webhooks/a%20b'

/** Attempts as the dispatcher records them. */
const ATTEMPTS = [
  { at: '2031-05-16T18:00:02.000Z', event: '9', name: 'bet.placed', durationMs: 41, httpStatus: 200 },
  {
    ...{ at: '2031-05-16T18:00:01.000Z', event: '9', name: 'bet.placed', durationMs: 38, httpStatus: 503 },
    error: 'answered 503',
  },
]

export function webhookSteps({ step, post, get, runSql }) {
  const put = (url, body) => () => ['PUT', url, body]
  const remove = (url) => () => ['DELETE', url]
  return [
    step('saveWebhook', 201, 'made', 'A new webhook', put(HOOK, WEBHOOK)),
    step('saveWebhook', 200, 'changed', 'The webhook now gets all events', put(HOOK, { url: WEBHOOK.url })),
    step('saveWebhook', 201, 'local', 'An address without a server', put(LOCAL, { url: 'http://127.0.0.1:1/hook' })),
    step('saveWebhook', 400, 'invalid', 'An invalid URL', put(HOOK, { url: 'crm.example' })),
    step('listWebhooks', 200, 'all', 'All webhooks', get('/operator/webhooks')),
    step('readWebhook', 200, 'webhook', 'One webhook', get(HOOK)),
    step('readWebhook', 400, 'invalid', 'An invalid name', get(MALFORMED)),
    step('readWebhook', 404, 'unknown', 'An unknown name', get(NONE)),
    step('listWebhookAttempts', 200, 'attempts', 'Acknowledged at the second attempt', get(`${HOOK}/attempts`), {
      before: runSql(
        `update purser.webhook set last_attempts = '${JSON.stringify(ATTEMPTS)}' where webhook_id = 'crm'`,
      ),
    }),
    step('listWebhookAttempts', 400, 'invalid', 'An invalid name', get(`${MALFORMED}/attempts`)),
    step('listWebhookAttempts', 404, 'unknown', 'An unknown name', get(`${NONE}/attempts`)),
    step('testWebhook', 200, 'failed', 'No server listens at the address', post(`${LOCAL}/test`)),
    step('testWebhook', 400, 'invalid', 'An invalid name', post(`${MALFORMED}/test`)),
    step('testWebhook', 404, 'unknown', 'An unknown name', post(`${NONE}/test`)),
    step('replayWebhook', 200, 'replayed', 'Events after a given event', post(`${HOOK}/replay`, { after: '7' })),
    step('replayWebhook', 400, 'both', 'An event or a time is missing', post(`${HOOK}/replay`, {})),
    step('replayWebhook', 404, 'unknown', 'An unknown name', post(`${NONE}/replay`, { after: '7' })),
    step(
      'rotateWebhook',
      201,
      'rotated',
      'The earlier secret also signs for an hour',
      post(`${HOOK}/rotate`, { overlapSeconds: 3600 }),
    ),
    step('rotateWebhook', 400, 'invalid', 'Longer than 30 days', post(`${HOOK}/rotate`, { overlapSeconds: 9_999_999 })),
    step('rotateWebhook', 404, 'unknown', 'An unknown name', post(`${NONE}/rotate`, {})),
    step('removeWebhook', 204, 'removed', 'Removed', remove(LOCAL)),
    step('removeWebhook', 400, 'invalid', 'An invalid name', remove(MALFORMED)),
    step('removeWebhook', 404, 'unknown', 'An unknown name', remove(NONE)),
  ]
}
