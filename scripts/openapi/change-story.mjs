/**
 * Example calls of the change feed for the API reference: pages, the stream, and events that
 * retention has deleted.
 */

/** `run` executes SQL; `last` is the last deleted event. */
export function changeSteps({ prefix, schema, run, page, last }) {
  const changes = `${prefix}/changes`
  return [
    ['readChanges', 200, 'page', 'Changes in the order of their commits', `${changes}?after=${page}&limit=6`],
    ['readChanges', 400, 'invalid', 'An invalid cursor', `${changes}?after=x`],
    [
      'streamChanges',
      200,
      'events',
      "From the reader's last event on",
      `${changes}/stream?after=${page}`,
      { isStream: true },
    ],
    [
      'watchChanges',
      200,
      'ids',
      'The changes since the last received event',
      `${prefix}/live`,
      { isStream: true, headers: { 'last-event-id': `${page}` } },
    ],
    ['streamChanges', 400, 'invalid', 'An invalid cursor', `${changes}/stream?after=x`],
    [
      'readChanges',
      410,
      'tooOld',
      'Retention has deleted the next events',
      `${changes}?after=1`,
      {
        before: run(`delete from ${schema}.change where last_number <= ${last}`),
      },
    ],
    ['streamChanges', 410, 'tooOld', 'Retention has deleted the next events', `${changes}/stream?after=1`],
  ]
}

/** The first two events of a stream, which has no end. */
export async function firstEvents(stream) {
  let text = ''
  for await (const chunk of stream) {
    text += chunk
    const [, first, second] = text.split('\n\n')
    if (/^(id|event): /.test(second ?? '')) return `${first}\n\n${second}\n\n`
  }
}
