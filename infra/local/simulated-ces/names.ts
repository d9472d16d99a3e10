/** Full resource name of what an id, or already a full name, stands for. */
export const within = (parent: string, collection: string, idOrName: string): string =>
  idOrName.includes('/') ? idOrName : `${parent}/${collection}/${idOrName}`;
