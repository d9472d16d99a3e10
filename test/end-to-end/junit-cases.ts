/** Name and content of the test cases of a report. */
export const casesOf = (xml: string): readonly (readonly [string, string])[] =>
  [...xml.matchAll(/<testcase classname="[^"]*" name="([^"]*)"(?:\/>|>(.*?)<\/testcase>)/g)].map(
    ([, name = '', content = '']) => [name, content],
  );
