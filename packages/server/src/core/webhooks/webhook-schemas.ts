/** Schemas of the webhook routes. */
import { Type } from 'typebox'
import { connectionMember, shownConnectionMember } from '../partners/connection-member.ts'

const optional = Type.Optional
const time = Type.String({ format: 'date-time' })
const strict = { additionalProperties: false } as const
export const WebhookPath = Type.Object({
  webhookId: Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$', description: 'A name that you choose.' }),
})
const cursor = Type.String({ pattern: '^(latest|\\d{1,18})$' })
const ONLY_THESE = 'The requested events. If it is absent or empty, the webhook gets all events.'
const eventNamesSchema = (events: readonly string[]) =>
  Type.Array(Type.Enum([...events]), { uniqueItems: true, maxItems: events.length, description: ONLY_THESE })
export const newWebhookSchema = (events: readonly string[]) =>
  Type.Object(
    {
      url: Type.String({ maxLength: 2_000 }),
      ...connectionMember,
      events: optional(eventNamesSchema(events)),
      after: optional({
        ...cursor,
        description: 'A new webhook begins after this event. If it is absent, it begins with the next event.',
      }),
    },
    { ...strict, examples: [{ url: 'https://crm.example/purser', events: ['bet.placed', 'bet.settled'] }] },
  )
export const ReplayWebhookSchema = Type.Object(
  {
    after: optional({ ...cursor, description: 'Send all events after this event.' }),
    from: optional({ ...time, description: 'Send all events from this time on.' }),
  },
  { ...strict, examples: [{ after: '4711' }] },
)
const MAX_OVERLAP_S = 30 * 86_400
export const WEBHOOK_SECRET_OVERLAP_S = 86_400
export const RotateWebhookSecretSchema = Type.Object(
  { overlapSeconds: optional(Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_S })) },
  { ...strict, examples: [{ overlapSeconds: 3_600 }] },
)
const webhookMembers = {
  webhookId: Type.String(),
  url: Type.String(),
  ...shownConnectionMember,
  events: Type.Array(Type.String()),
  state: Type.Enum(['ok', 'failing', 'warned', 'disabled'], {
    description:
      '`warned`: it has failed for a day, and will be disabled at disabledAt. `disabled`: a PUT enables it again.',
  }),
  doneTo: Type.String({ description: 'The last event up to which all events are acknowledged.' }),
  failingSince: optional(time),
  disabledAt: optional(time),
  lastError: optional(Type.String()),
  madeAt: time,
}
export const WebhookSchema = Type.Object(webhookMembers)
export const WebhookListSchema = Type.Object({
  data: Type.Array(WebhookSchema),
  next: Type.Null(),
  eventNames: Type.Array(Type.String(), { description: 'The events that a webhook can request.' }),
})
const secret = Type.String({ description: 'The secret (whsec_…), which is shown only in this response.' })
export const WebhookWithSecretSchema = Type.Object({ ...webhookMembers, secret })
export const WebhookTestResultSchema = Type.Object({
  delivered: Type.Boolean(),
  httpStatus: optional(Type.Integer()),
  error: optional(Type.String()),
})

export const WebhookAttemptsSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      at: time,
      event: Type.String({ description: 'The id of the event.' }),
      name: Type.String(),
      durationMs: Type.Integer({ minimum: 0 }),
      httpStatus: optional(Type.Integer()),
      error: optional(Type.String({ description: 'The error. It is absent if the webhook acknowledged the event.' })),
    }),
  ),
  next: Type.Null(),
})
