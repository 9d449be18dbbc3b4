/** The hand-written part of openapi/wallet.json: introduction, security, tags, and the schemas that get a name. */

import { ProblemSchema } from '../../dist/http/problem-schema.js'
import * as proposals from '../../dist/operator/adjustment-proposals.js'
import * as adjustments from '../../dist/operator/adjustments.js'
import * as anomalies from '../../dist/operator/anomaly-list.js'
import * as bets from '../../dist/operator/bet-detail.js'
import * as lists from '../../dist/operator/bet-list.js'
import * as movement from '../../dist/operator/cash-movement.js'
import * as customFields from '../../dist/operator/custom-fields.js'
import * as cash from '../../dist/operator/deposits-and-withdrawals.js'
import * as players from '../../dist/operator/player-profile.js'
import * as sessions from '../../dist/operator/player-sessions.js'
import * as statement from '../../dist/operator/statement.js'
import { AuditSchema } from '../../dist/operator/wallet-audit.js'
import * as apiKeys from '../../dist/people/api-key-routes.js'
import * as actions from '../../dist/people/audit-log-list.js'
import * as requests from '../../dist/protocol/bet-request.js'
import { SIGNATURE_HEADER } from '../../dist/protocol/signature.js'
import * as users from '../../dist/protocol/user-profile.js'
import * as replies from '../../dist/protocol/wire-reply.js'

const INTRODUCTION = `Two APIs on one address.

**Partner wire**: the calls of the betting platform. Every call is signed; amounts are JSON numbers; a refusal is HTTP 400 with
\`{code, message}\`, whatever it is. A call that was answered can be repeated any number of times: it has its effect once.

**Operator API**: the operator's own calls. A bearer key, whose role (read, support, cash, admin) may do what those before it may; money as decimal strings beside \`currency\`; times in UTC; errors as
problem details (RFC 9457) with a stable \`code\` and JSON pointers to what is wrong. Lists are newest first:
\`?limit&after\` with the \`next\` of the page before, null at the end. A method that a path does not take is answered 405, and \`Allow\` names those that it takes.

Ids such as R-1 name decisions, see docs/reference/decisions.md.`

const SIGNATURE = `A detached JWS (RFC 7515, appendix F) over the exact bytes of the body, with the shared secret (S-1):
\`base64url(header) + ".." + base64url(HMAC-SHA256(secret, base64url(header) + "." + base64url(body)))\`, header
\`{"alg":"HS256","typ":"JWT"}\`. The command \`purser sign\` makes one.`

export const OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'Purser wallet', description: INTRODUCTION, license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: '/' }],
  tags: [
    { name: 'Partner wire', description: 'The calls of the betting platform.' },
    { name: 'Operator: players', description: 'Players, their sessions, limits and currencies.' },
    {
      name: 'Operator: money',
      description: 'Deposits, withdrawals, adjustments, balances, statements, and the audit of it all.',
    },
    { name: 'Operator: calls', description: 'The journal of the wire.' },
    { name: 'Operator: changes', description: 'All that happens, in one order: to be followed.' },
    { name: 'Operator: webhooks', description: 'Who is told of changes, signed as Standard Webhooks has it.' },
    { name: 'Operator: actions', description: 'Who changed what.' },
    {
      name: 'Operator: conformance',
      description: 'This wallet judged by the conformance kit, where a setting allows it.',
    },
    { name: 'Operator: keys', description: 'Who may use this API, and for what.' },
    { name: 'Operator: bets', description: 'Bets with their history, locks, and calls that need a person.' },
  ],
  components: {
    securitySchemes: {
      operatorKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'OPERATOR_API_KEY, or a key made with it. The role is the least that will do.',
      },
      partnerSignature: { type: 'apiKey', in: 'header', name: SIGNATURE_HEADER, description: SIGNATURE },
    },
  },
}

export const NAMED_SCHEMAS = {
  PlaceBet: requests.PlaceBetSchema,
  Settle: requests.SettleSchema,
  Unsettle: requests.UnsettleSchema,
  Rollback: requests.RollbackSchema,
  BetReply: replies.BetReplySchema,
  ErrorReply: replies.ErrorReplySchema,
  ProfileRequest: users.ProfileRequestSchema,
  UserProfile: users.UserProfileSchema,
  CustomFields: users.CustomFieldsSchema,
  BalanceRequest: users.BalanceRequestSchema,
  BalanceReply: users.BalanceReplySchema,
  Check: requests.CheckSchema,
  CheckReply: replies.CheckReplySchema,
  NewPlayer: players.NewPlayerSchema,
  PlayerPatch: players.PlayerPatchSchema,
  Player: players.PlayerSchema,
  StoredFields: customFields.StoredFieldsSchema,
  NewSession: sessions.NewPlayerSessionSchema,
  CurrencySwitch: sessions.CurrencySwitchSchema,
  Session: sessions.PlayerSessionSchema,
  Deposit: cash.DepositSchema,
  Withdrawal: cash.WithdrawalSchema,
  Adjustment: adjustments.AdjustmentSchema,
  AdjustmentProposal: proposals.ProposalSchema,
  AdjustmentProposalPage: proposals.ProposalPageSchema,
  AdjustmentDecision: proposals.DecisionSchema,
  CashReceipt: movement.MovementSchema,
  Balances: cash.BalancesSchema,
  Transfer: statement.TransferSchema,
  TransferPage: statement.StatementSchema,
  NewKey: apiKeys.NewKeySchema,
  KeyRotation: apiKeys.RotationSchema,
  MadeKey: apiKeys.CreatedKeySchema,
  Key: apiKeys.KeySchema,
  KeyPage: apiKeys.KeyPageSchema,
  Action: actions.AuditLogEntrySchema,
  ActionPage: actions.AuditLogPageSchema,
  Bet: bets.BetSchema,
  BetPage: lists.BetListSchema,
  BetHistory: bets.BetHistorySchema,
  Anomaly: anomalies.AnomalySchema,
  AnomalyPage: anomalies.AnomalyListSchema,
  AuditReport: AuditSchema,
  Problem: ProblemSchema,
  Token: requests.TokenSchema,
  UserId: requests.UserIdSchema,
  RequestId: requests.RequestIdSchema,
  BetId: requests.BetIdSchema,
  Currency: requests.CurrencySchema,
  OperatorUser: requests.OperatorUserSchema,
}
