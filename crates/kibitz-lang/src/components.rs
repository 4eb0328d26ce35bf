//! What hangs together in a graph.

/// The strongly connected components of a graph, each after those that it points to (Tarjan 1972,
/// without recursion).
pub fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let (mut order, mut low) = (vec![NEW; edges.len()], vec![0; edges.len()]);
    let mut on_stack = vec![false; edges.len()];
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for root in 0..edges.len() {
        let mut path = if order[root] == NEW { vec![(root, 0)] } else { Vec::new() };
        while let Some((node, next)) = path.pop() {
            if next == 0 {
                order[node] = count;
                low[node] = count;
                count += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&to) = edges[node].get(next) {
                path.push((node, next + 1));
                if order[to] == NEW {
                    path.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            if low[node] == order[node] {
                let begin = stack.iter().rposition(|&other| other == node).unwrap_or(0);
                let group = stack.split_off(begin);
                group.iter().for_each(|&member| on_stack[member] = false);
                found.push(group);
            }
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
        }
    }
    found
}
