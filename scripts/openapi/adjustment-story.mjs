/**
 * Example calls about adjustments for the wallet's API reference, by one person and with a second
 * person's approval (W-27).
 */
export function adjustmentSteps({ step, post, get, path, nobody: unknownPlayer, bet }) {
  const fix = (over, of = path) =>
    post(`${of}/adjustments`, {
      ...{ currency: 'EUR', amount: '-5.00', reference: 'corr-17', reason: 'paid twice after the outage' },
      ...{ person: 'maria', ticket: 'SUP-4711', ...over },
    })

  const corrections = [
    step('adjustment', 201, 'taken', 'Also the response to a repeat', fix({})),
    step(
      'adjustment',
      201,
      'given',
      "For one of the player's bets",
      fix({ amount: '5.00', reference: 'corr-18', transactionId: bet }),
    ),
    step('adjustment', 400, 'zero', 'An adjustment of zero', fix({ amount: '0.00', reference: 'corr-20' })),
    step('adjustment', 404, 'unknown', 'No player has this id', fix({}, unknownPlayer)),
    step(
      'adjustment',
      409,
      'tooMuch',
      "More than the player's balance",
      fix({ amount: '-9900.00', reference: 'corr-19' }),
    ),
    step('adjustment', 422, 'reused', 'The reference of another movement', fix({ amount: '-6.00' })),
  ]

  const LARGE = {
    amount: '12000.00',
    reference: 'corr-21',
    reason: 'a jackpot that was not booked',
    ticket: 'SUP-4712',
  }
  const decide = (what, reference) => post(`${path}/adjustments/${what}`, { reference })
  const asNadia = { credential: ({ key }) => key }

  const byTwo = [
    step(
      'makeKey',
      201,
      'second',
      'A key for a second person',
      post('/operator/keys', { name: 'nadia', role: 'cash' }),
    ),
    step('adjustment', 202, 'large', 'Pending approval', fix(LARGE)),
    step('adjustment', 202, 'another', 'Another adjustment', fix({ ...LARGE, reference: 'corr-22' })),
    step(
      'listAdjustments',
      200,
      'pending',
      'Adjustments that are pending approval',
      get('/operator/adjustments?status=pending'),
    ),
    step('listAdjustments', 400, 'status', 'A status that does not exist', get('/operator/adjustments?status=lost')),
    step('showId', 200, 'adjustment', 'An adjustment that is pending approval', get('/operator/show/corr-22')),
    step('approveAdjustment', 400, 'invalid', 'A missing reference', post(`${path}/adjustments/approve`, {})),
    step('approveAdjustment', 403, 'same', 'The person who requested it', decide('approve', 'corr-21')),
    step('approveAdjustment', 404, 'unknown', 'An unknown adjustment', decide('approve', 'corr-99'), asNadia),
    step('approveAdjustment', 201, 'approved', 'The adjustment is posted now', decide('approve', 'corr-21'), asNadia),
    step('approveAdjustment', 409, 'decided', 'Another person has decided it', decide('approve', 'corr-21')),
    step('refuseAdjustment', 400, 'invalid', 'A missing reference', post(`${path}/adjustments/refuse`, {})),
    step('refuseAdjustment', 404, 'unknown', 'An unknown adjustment', decide('refuse', 'corr-99'), asNadia),
    step('refuseAdjustment', 200, 'refused', 'The adjustment is rejected', decide('refuse', 'corr-22'), asNadia),
    step('refuseAdjustment', 409, 'decided', 'The adjustment was approved before', decide('refuse', 'corr-21')),
  ]
  return [...corrections, ...byTwo]
}
