/** Makes small mistakes in the text of a module, one at a time, such as a person could make. */
import ts from 'typescript'

export interface Mutant {
  readonly file: string
  readonly line: number
  /** The original text, and its replacement. */
  readonly was: string
  readonly now: string
  /** Text of the module with the mistake. */
  readonly text: string
}

const { SyntaxKind: Kind } = ts

const swapped: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [Kind.EqualsEqualsEqualsToken, '!=='],
  [Kind.ExclamationEqualsEqualsToken, '==='],
  [Kind.LessThanToken, '<='],
  [Kind.LessThanEqualsToken, '<'],
  [Kind.GreaterThanToken, '>='],
  [Kind.GreaterThanEqualsToken, '>'],
  [Kind.AmpersandAmpersandToken, '||'],
  [Kind.BarBarToken, '&&'],
  [Kind.PlusToken, '-'],
  [Kind.MinusToken, '+'],
  [Kind.AsteriskToken, '/']
])

/** All mutants of a module. Types, imports and messages for people are not mutated. */
export function mutantsOf (file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)
  const mutants: Mutant[] = []

  function put (node: ts.Node, now: string): void {
    const [from, to] = [node.getStart(), node.getEnd()]
    const was = text.slice(from, to)
    const { line } = source.getLineAndCharacterOfPosition(from)
    mutants.push({ file, line: line + 1, was: oneLine(was), now: oneLine(now), text: text.slice(0, from) + now + text.slice(to) })
  }

  function visit (node: ts.Node): void {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || isMessage(node)) return
    if (ts.isBinaryExpression(node)) {
      const other = swapped.get(node.operatorToken.kind)
      const joinsText = node.operatorToken.kind === Kind.PlusToken && [node.left, node.right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side))
      if (other !== undefined && !joinsText) put(node.operatorToken, other)
      if (node.operatorToken.kind === Kind.QuestionQuestionToken) put(node, `(${node.right.getText()})`)
    }
    if (node.kind === Kind.TrueKeyword) put(node, 'false')
    if (node.kind === Kind.FalseKeyword) put(node, 'true')
    if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken) put(node, node.operand.getText())
    if (ts.isConditionalExpression(node)) put(node, `(${node.condition.getText()} ? ${node.whenFalse.getText()} : ${node.whenTrue.getText()})`)
    if (ts.isIfStatement(node)) put(node.expression, 'false')
    if (ts.isNumericLiteral(node)) put(node, String(another(Number(node.text))))
    if (ts.isThrowStatement(node)) put(node, ';')
    if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) put(node, ';')
    ts.forEachChild(node, visit)
  }

  ts.forEachChild(source, visit)
  return mutants
}

/** Whether a text is an error or log message. Tests should not depend on its words. */
function isMessage (node: ts.Node): boolean {
  return ts.isTemplateExpression(node) && ts.isNewExpression(node.parent)
}

/** A noticeably different number. A limit of thousands plus one would be noticed by no test, and need not be. */
const another = (number: number): number => number < 100 ? number + 1 : number * 2

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 70)
