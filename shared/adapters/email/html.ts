import { moreText, type AlertText, type EvaluationList, type Fact } from '../../domain/alert-text.ts';

const COLORS: Readonly<Record<AlertText['tone'], string>> = {
  good: '#1a7f37',
  bad: '#c6262e',
  unclear: '#9a6700',
  neutral: '#57606a',
};

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONO = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px';
const CELL = 'padding:4px 0;vertical-align:top;font-size:14px;line-height:20px';
const PARAGRAPH = 'margin:0 0 8px;font-size:14px;line-height:20px';

/** The alert as an HTML page: styles inline and tables for layout, since mail programs drop style sheets and know no grid. */
export function htmlOf(text: AlertText, footer: string): string {
  const color = COLORS[text.tone];
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escaped(text.headline)}</title></head>`,
    `<body style="margin:0;padding:0;background:#f3f4f6;color:#1f2328;${FONT}">`,
    // What mail programs show next to the subject; without it they take the first words of the page.
    `<div style="display:none;max-height:0;overflow:hidden;opacity:0">${escaped(text.summary)}</div>`,
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px">',
    '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:640px;text-align:left">',
    `<tr><td style="background:#fff;border:1px solid #d8dee4;border-top:4px solid ${color};padding:20px 24px">`,
    `<h1 style="margin:0 0 12px;font-size:20px;line-height:28px;color:${color};overflow-wrap:anywhere">${escaped(text.headline)}</h1>`,
    ...text.explanation.map((line) => `<p style="${PARAGRAPH}">${escaped(line)}</p>`),
    reasonList(text.reasons),
    ...text.evaluations.map(evaluationTable),
    factTable(text.facts),
    link(text.dashboard, color),
    '</td></tr>',
    `<tr><td style="padding:12px 24px;font-size:12px;line-height:18px;color:#57606a">${escaped(footer)}</td></tr>`,
    '</table></td></tr></table></body></html>\n',
  ].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

const reasonList = (reasons: readonly string[]): string =>
  reasons.length === 0
    ? ''
    : `<ul style="margin:0 0 12px;padding-left:20px;font-size:14px;line-height:20px;overflow-wrap:anywhere">${reasons
        .map((reason) => `<li>${escaped(reason)}</li>`)
        .join('')}</ul>`;

function evaluationTable({ title, items, more }: EvaluationList): string {
  const rows = items.map(
    ({ name, detail }) =>
      `<tr><td style="${CELL};${MONO};overflow-wrap:anywhere">${escaped(name)}</td>` +
      `<td style="${CELL};color:#57606a;text-align:right;padding-left:12px">${escaped(detail ?? '')}</td></tr>`,
  );
  const rest = more === 0 ? '' : `<tr><td colspan="2" style="${CELL};color:#57606a">${moreText(more)}</td></tr>`;
  return table(title, [...rows, rest]);
}

const factTable = (facts: readonly Fact[]): string =>
  table(
    'Run',
    facts.map(
      ({ label, value }) =>
        `<tr><td style="${CELL};color:#57606a;width:140px;padding-right:12px">${escaped(label)}</td>` +
        `<td style="${CELL};overflow-wrap:anywhere">${escaped(value)}</td></tr>`,
    ),
  );

const table = (title: string, rows: readonly string[]): string =>
  `<h2 style="margin:16px 0 4px;padding-top:12px;border-top:1px solid #d8dee4;font-size:14px;line-height:20px">${escaped(title)}</h2>` +
  `<table width="100%" cellpadding="0" cellspacing="0">${rows.join('')}</table>`;

const link = (url: string | undefined, color: string): string =>
  url === undefined
    ? ''
    : `<p style="margin:20px 0 0"><a href="${escaped(url)}" style="display:inline-block;padding:10px 16px;background:${color};` +
      'color:#fff;border-radius:6px;font-size:14px;font-weight:600;text-decoration:none">Open the run in the dashboard</a></p>';
