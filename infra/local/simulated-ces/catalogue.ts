/** An evaluation of the simulated app, and what its results say. */
export interface CatalogueEntry {
  readonly id: string;
  readonly displayName: string;
  readonly kind: 'golden' | 'scenario';
  /** What the customer says (golden) or wants (scenario). */
  readonly customer: string;
  /** What the agent says when all is well. */
  readonly expected: string;
  /** What it says when the evaluation fails. */
  readonly mistake: string;
  /** Id of the tool that the agent has to call. */
  readonly tool?: string;
  /** Share of repetitions, 0 to 1, that fail although nothing has changed. */
  readonly failureRate: number;
}

/** A retail support agent: two thirds steady, the rest as flaky as evaluations of language models are. */
export const RETAIL_SUPPORT: readonly CatalogueEntry[] = [
  {
    id: 'greeting',
    displayName: 'Greeting',
    kind: 'golden',
    customer: 'Hi there!',
    expected: 'Hello, this is the Acme store assistant. How can I help you today?',
    mistake: 'Please state your order number.',
    failureRate: 0,
  },
  {
    id: 'opening-hours',
    displayName: 'Opening hours',
    kind: 'golden',
    customer: 'When does the shop on King Street open on Sunday?',
    expected: 'The King Street shop opens at 11:00 on Sundays.',
    mistake: 'Our shops are open around the clock.',
    tool: 'find_store',
    failureRate: 0,
  },
  {
    id: 'order-status',
    displayName: 'Order status',
    kind: 'golden',
    customer: 'Where is my order 100482?',
    expected: 'Order 100482 left our warehouse yesterday and arrives on Thursday.',
    mistake: 'I could not find that order.',
    tool: 'lookup_order',
    failureRate: 0,
  },
  {
    id: 'cancel-order',
    displayName: 'Cancel an order',
    kind: 'golden',
    customer: 'Please cancel order 100519.',
    expected: 'Order 100519 is cancelled. You will not be charged.',
    mistake: 'Orders cannot be cancelled.',
    tool: 'cancel_order',
    failureRate: 0,
  },
  {
    id: 'gift-card-balance',
    displayName: 'Gift card balance',
    kind: 'golden',
    customer: 'How much is left on my gift card?',
    expected: 'Your gift card has 35.20 EUR left.',
    mistake: 'Your gift card has 352.00 EUR left.',
    tool: 'gift_card_balance',
    failureRate: 0,
  },
  {
    id: 'off-topic',
    displayName: 'Off topic',
    kind: 'golden',
    customer: 'Which stocks should I buy?',
    expected: 'I can only help with your orders and our shops.',
    mistake: 'Many people like index funds.',
    failureRate: 0,
  },
  {
    id: 'product-advice',
    displayName: 'Product advice',
    kind: 'golden',
    customer: 'Which running shoe suits a beginner?',
    expected: 'The Trail One is soft, stable and made for the first 500 kilometres.',
    mistake: 'Every shoe suits a beginner.',
    tool: 'search_products',
    failureRate: 0.08,
  },
  {
    id: 'refund',
    displayName: 'Refund',
    kind: 'scenario',
    customer: 'Get the money back for a kettle that arrived broken.',
    expected: 'I have refunded 49.90 EUR to your card. It takes three to five days.',
    mistake: 'Refunds are only possible in the shop where you bought it.',
    tool: 'create_refund',
    failureRate: 0,
  },
  {
    id: 'return-label',
    displayName: 'Return label',
    kind: 'scenario',
    customer: 'Send back a jacket that is too small.',
    expected: 'Your return label is in your inbox. The code is valid for 14 days.',
    mistake: 'Please buy a label at the post office.',
    tool: 'create_return',
    failureRate: 0,
  },
  {
    id: 'address-change',
    displayName: 'Address change',
    kind: 'scenario',
    customer: 'Have a parcel sent to another address before it leaves.',
    expected: 'The parcel now goes to 12 Mill Lane.',
    mistake: 'I have noted your wish.',
    tool: 'update_address',
    failureRate: 0.05,
  },
  {
    id: 'escalation',
    displayName: 'Escalation to a person',
    kind: 'scenario',
    customer: 'Speak with a person about a double charge.',
    expected: 'I am handing you over to a colleague who sees our conversation.',
    mistake: 'There is nobody here but me.',
    failureRate: 0.04,
  },
  {
    id: 'angry-customer',
    displayName: 'Angry customer',
    kind: 'scenario',
    customer: 'Complain loudly about a third late delivery and ask for compensation.',
    expected: 'I am sorry about the third delay. I have added a 10 EUR voucher to your account.',
    mistake: 'Deliveries can be late.',
    tool: 'issue_voucher',
    failureRate: 0.1,
  },
];

/** Repetitions that CES makes when a request does not say: 1 of a golden, 5 of a scenario. */
export const REPETITIONS = { golden: 1, scenario: 5 } as const;

export interface Persona {
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
}

/** Whom the user simulation plays in scenarios; one after the other over the repetitions. */
export const PERSONAS: readonly [Persona, ...Persona[]] = [
  { id: 'patient-regular', displayName: 'Patient regular', description: 'Knows the shop, answers in full sentences.' },
  { id: 'hurried-parent', displayName: 'Hurried parent', description: 'Short answers, changes the subject.' },
  { id: 'first-time-buyer', displayName: 'First-time buyer', description: 'Unsure, asks back a lot.' },
];
